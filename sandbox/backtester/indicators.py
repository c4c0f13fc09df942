"""The indicators of strategies, by TA-Lib, and by numpy where TA-Lib lacks them.

Each takes the candles, its input series and its parameters. The input is the closing prices unless a spec names one.
The result is a number for each candle, NaN before it has enough of them.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
import talib

from sandbox.backtester.bars import Bars, Numbers

Parameters: TypeAlias = Mapping[str, float]
Indicator: TypeAlias = Callable[[Bars, Numbers, Parameters], Numbers]
OverPeriod: TypeAlias = Callable[[Numbers, int], Numbers]

KELTNER_WIDTH = 2.0
"""The half width of a Keltner channel, in average true ranges."""


def _period(parameters: Parameters, name: str = "period") -> int:
    return int(parameters[name])


def _of_any_period(function: OverPeriod) -> OverPeriod:
    """Return *function* for a period of 1 too, which TA-Lib rejects: the series itself."""
    return lambda series, period: series if period == 1 else function(series, period)


_ema, _sma, _sum = _of_any_period(talib.EMA), _of_any_period(talib.SMA), _of_any_period(talib.SUM)
_highest, _lowest = _of_any_period(talib.MAX), _of_any_period(talib.MIN)


def _shifted(series: Numbers, count: int) -> Numbers:
    """Return *series* as it was *count* candles ago."""
    return np.concatenate([np.full(min(count, len(series)), np.nan), series[:-count]]) if count else series


def _ratio(numerator: Numbers, denominator: Numbers, otherwise: Numbers | float) -> Numbers:
    """Return *numerator* / *denominator*; *otherwise* where the denominator is 0."""
    return np.where(denominator == 0, otherwise, numerator / np.where(denominator == 0, 1, denominator))


def _typical(bars: Bars) -> Numbers:
    return talib.TYPPRICE(bars.high, bars.low, bars.close)


def _median(bars: Bars) -> Numbers:
    return talib.MEDPRICE(bars.high, bars.low)


def _keltner(bars: Bars, series: Numbers, parameters: Parameters, side: int) -> Numbers:
    """Return the line on a *side* of a Keltner channel: 1 above, -1 below."""
    period = _period(parameters)
    return _ema(series, period) + side * KELTNER_WIDTH * talib.ATR(bars.high, bars.low, bars.close, period)


def _short_less_long(average: OverPeriod, series: Numbers, parameters: Parameters) -> Numbers:
    """Return the difference of two averages of *series*."""
    return average(series, _period(parameters, "shortPeriod")) - average(series, _period(parameters, "longPeriod"))


def _money_flow(bars: Bars) -> Numbers:
    """Return the volume times the close's position in the candle, from -1 (low) to 1 (high)."""
    return _ratio(2 * bars.close - bars.high - bars.low, bars.high - bars.low, 0) * bars.volume


def _cmf(bars: Bars, _series: Numbers, parameters: Parameters) -> Numbers:
    period = _period(parameters)
    return _ratio(_sum(_money_flow(bars), period), _sum(bars.volume, period), 0)


def _dpo(_bars: Bars, series: Numbers, parameters: Parameters) -> Numbers:
    period = _period(parameters)
    return _shifted(series, period // 2 + 1) - _sma(series, period)


def _klinger(bars: Bars, _series: Numbers, parameters: Parameters) -> Numbers:
    typical = _typical(bars)
    force = np.where(typical >= np.concatenate([typical[:1], typical[:-1]]), bars.volume, -bars.volume)
    return _short_less_long(_ema, force, parameters)


def _mass(bars: Bars, _series: Numbers, parameters: Parameters) -> Numbers:
    period = _period(parameters, "emaPeriod")
    smoothed = _ema(bars.high - bars.low, period)
    return _sum(_ratio(smoothed, _ema(smoothed, period), 1), _period(parameters, "sumPeriod"))


def _change(series: Numbers) -> Numbers:
    """Return the relative change of a series; 0 at its beginning."""
    return np.concatenate([np.zeros(1), series[1:] / series[:-1] - 1])


def _nvi(bars: Bars, _series: Numbers, _parameters: Parameters) -> Numbers:
    falling = np.concatenate([np.zeros(1, np.bool_), bars.volume[1:] < bars.volume[:-1]])
    return 1000 * np.cumprod(1 + np.where(falling, _change(bars.close), 0))


def _pvt(bars: Bars, _series: Numbers, _parameters: Parameters) -> Numbers:
    return np.cumsum(bars.volume * _change(bars.close))


def _stochastic(bars: Bars, series: Numbers, parameters: Parameters) -> Numbers:
    """Return the position between the lowest and the highest value, in percent.

    For prices these are low and high.
    """
    period, prices = _period(parameters), series is bars.close
    highest = _highest(bars.high if prices else series, period)
    lowest = _lowest(bars.low if prices else series, period)
    return 100 * _ratio(series - lowest, highest - lowest, 0.5)


def _vwap(bars: Bars, _series: Numbers, parameters: Parameters) -> Numbers:
    period, typical = _period(parameters), _typical(bars)
    return _ratio(_sum(typical * bars.volume, period), _sum(bars.volume, period), _sma(typical, period))


def _zlema(_bars: Bars, series: Numbers, parameters: Parameters) -> Numbers:
    period = _period(parameters)
    return _ema(2 * series - _shifted(series, (period - 1) // 2), period)


def _frama(bars: Bars, series: Numbers, parameters: Parameters) -> Numbers:
    """Return the fractal adaptive average of *series* (Ehlers, FRAMA, 2005).

    Its first value is that of the series. Its weight follows the fractal dimension of highs and lows over two halves of
    the period. An odd period counts as the even one below.
    """
    half = _period(parameters) // 2
    if half < 1:
        raise ValueError("the period must be 2 at least")
    late = _slope(bars, half)
    early, whole = _shifted(late, half), _slope(bars, 2 * half)
    with np.errstate(divide="ignore", invalid="ignore"):  # without a range there is no dimension
        dimension = (np.log(late + early) - np.log(whole)) / np.log(2)
    weights = np.clip(np.exp(-4.6 * (_last_known(dimension) - 1)), 0.01, 1)
    return _smooth(series, weights, 2 * half - 1)


def _slope(bars: Bars, period: int) -> Numbers:
    """Return the range from low to high over *period* candles, by candle."""
    return (_highest(bars.high, period) - _lowest(bars.low, period)) / period


def _last_known(numbers: Numbers) -> Numbers:
    """Return *numbers* with each that is not finite replaced by the last finite one, 0 before."""
    places = np.maximum.accumulate(np.where(np.isfinite(numbers), np.arange(len(numbers)), -1))
    return np.where(places < 0, 0, numbers[places])


def _smooth(series: Numbers, weights: Numbers, first: int) -> Numbers:
    """Return the exponential average of *series* from index *first*, with a weight by value."""
    smoothed = np.full(len(series), np.nan)
    value = np.nan
    for place, (number, weight) in enumerate(
        zip(series[first:].tolist(), weights[first:].tolist(), strict=True), first
    ):
        value = number if value != value else weight * number + (1 - weight) * value  # noqa: PLR0124 - not a number yet
        smoothed[place] = value
    return smoothed


INDICATORS: Mapping[str, Indicator] = {
    # values of a candle
    "OPEN": lambda bars, series, of: bars.open,
    "HIGH": lambda bars, series, of: bars.high,
    "LOW": lambda bars, series, of: bars.low,
    "CLOSE": lambda bars, series, of: bars.close,
    "VOLUME": lambda bars, series, of: bars.volume,
    "TYPICAL_PRICE": lambda bars, series, of: _typical(bars),
    "MEDIAN_PRICE": lambda bars, series, of: _median(bars),
    # functions of a series
    "PREVIOUS": lambda bars, series, of: _shifted(series, _period(of)),
    "SMA": lambda bars, series, of: _sma(series, _period(of)),
    "EMA": lambda bars, series, of: _ema(series, _period(of)),
    "WMA": lambda bars, series, of: talib.WMA(series, _period(of)),
    "DEMA": lambda bars, series, of: talib.DEMA(series, _period(of)),
    "TEMA": lambda bars, series, of: talib.TEMA(series, _period(of)),
    "KAMA": lambda bars, series, of: talib.KAMA(series, _period(of)),
    "ZLEMA": _zlema,
    "FRAMA": _frama,
    "MACD": lambda bars, series, of: _short_less_long(_ema, series, of),
    "RSI": lambda bars, series, of: talib.RSI(series, _period(of)),
    "CMO": lambda bars, series, of: talib.CMO(series, _period(of)),
    "ROC": lambda bars, series, of: talib.ROC(series, _period(of)),
    "MOMENTUM": lambda bars, series, of: talib.MOM(series, _period(of)),
    "TRIX": lambda bars, series, of: talib.TRIX(series, _period(of)),
    "DPO": _dpo,
    "STD_DEV": lambda bars, series, of: talib.STDDEV(series, _period(of)),
    "BOLLINGER_UPPER": lambda bars, series, of: talib.BBANDS(series, _period(of), 2.0, 2.0)[0],
    "BOLLINGER_MIDDLE": lambda bars, series, of: talib.BBANDS(series, _period(of), 2.0, 2.0)[1],
    "BOLLINGER_LOWER": lambda bars, series, of: talib.BBANDS(series, _period(of), 2.0, 2.0)[2],
    "KELTNER_UPPER": lambda bars, series, of: _keltner(bars, series, of, 1),
    "KELTNER_MIDDLE": lambda bars, series, of: _ema(series, _period(of)),
    "KELTNER_LOWER": lambda bars, series, of: _keltner(bars, series, of, -1),
    "STOCHASTIC_K": _stochastic,
    "STOCHASTIC_D": lambda bars, series, of: _sma(series, _period(of)),
    # functions of highs and lows; the Donchian bands end one candle ago, so that a close can cross them
    "DONCHIAN_UPPER": lambda bars, series, of: _shifted(_highest(bars.high, _period(of)), 1),
    "DONCHIAN_LOWER": lambda bars, series, of: _shifted(_lowest(bars.low, _period(of)), 1),
    "DONCHIAN_MIDDLE": lambda bars, series, of: (_highest(bars.high, _period(of)) + _lowest(bars.low, _period(of))) / 2,
    "ATR": lambda bars, series, of: talib.ATR(bars.high, bars.low, bars.close, _period(of)),
    "ADX": lambda bars, series, of: talib.ADX(bars.high, bars.low, bars.close, _period(of)),
    "PLUS_DI": lambda bars, series, of: talib.PLUS_DI(bars.high, bars.low, bars.close, _period(of)),
    "MINUS_DI": lambda bars, series, of: talib.MINUS_DI(bars.high, bars.low, bars.close, _period(of)),
    "AROON_DOWN": lambda bars, series, of: talib.AROON(bars.high, bars.low, _period(of))[0],
    "AROON_UP": lambda bars, series, of: talib.AROON(bars.high, bars.low, _period(of))[1],
    "CCI": lambda bars, series, of: talib.CCI(bars.high, bars.low, bars.close, _period(of)),
    "WILLIAMS_R": lambda bars, series, of: talib.WILLR(bars.high, bars.low, bars.close, _period(of)),
    "PARABOLIC_SAR": lambda bars, series, of: talib.SAR(bars.high, bars.low, of["step"], of["maximum"]),
    "AWESOME_OSCILLATOR": lambda bars, series, of: _short_less_long(_sma, _median(bars), of),
    "MASS_INDEX": _mass,
    # functions of the volume
    "AD": lambda bars, series, of: talib.AD(bars.high, bars.low, bars.close, bars.volume),
    "CHAIKIN_OSCILLATOR": lambda bars, series, of: talib.ADOSC(
        bars.high, bars.low, bars.close, bars.volume, _period(of, "fastPeriod"), _period(of, "slowPeriod")
    ),
    "CMF": _cmf,
    "MFI": lambda bars, series, of: talib.MFI(bars.high, bars.low, bars.close, bars.volume, _period(of)),
    "OBV": lambda bars, series, of: talib.OBV(bars.close, bars.volume),
    "NVI": _nvi,
    "PVT": _pvt,
    "VWAP": _vwap,
    "KLINGER_VOLUME_OSCILLATOR": _klinger,
}
