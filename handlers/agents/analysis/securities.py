"""Names of securities in Russian and English, and the tickers behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

_NAMES = """
SBER: сбербанк, сбер, sberbank
LKOH: лукойл, lukoil
GAZP: газпром, gazprom
TATN: татнефт, tatneft
T: т-технологи, т технологи, т-банк, тинькофф, t-technologies, tinkoff, t-bank
NVTK: новатэк, novatek
GMKN: норникел, норильский никел, норильского никел, nornickel, norilsk nickel
PLZL: полюс, polyus
YDEX: яндекс, yandex
SNGS: сургутнефтегаз, сургут, surgutneftegas
ROSN: роснефт, rosneft
CHMF: северстал, severstal
X5: икс 5, икс5, пятерочк
NLMK: нлмк
OZON: озон
MGNT: магнит, magnit
MOEX: мосбирж, московская бирж, московской бирж, московскую бирж, moscow exchange
VTBR: втб, vtb
IRAO: интер рао, inter rao
PHOR: фосагро, phosagro
ALRS: алрос, alrosa
RUAL: русал, rusal
HEAD: хэдхантер, хедхантер, headhunter
MTSS: мтс, mts
RTKM: ростелеком, rostelecom
AFKS: афк систем, sistema
TRNFP: транснефт, transneft
CBOM: мкб
MAGN: ммк, магнитогорск, mmk
FLOT: совкомфлот, sovcomflot
AFLT: аэрофлот, aeroflot
VKCO: вк, вконтакте, vkontakte
POSI: позитив, positive technologies
PIKK: пик
BSPB: банк санкт-петербург, бсп, bank saint petersburg
MSNG: мосэнерго, mosenergo
HYDR: русгидро, rushydro
FEES: россет, rosseti
SMLT: самолет, samolet
UPRO: юнипро, unipro
LSRG: лср
ASTR: астра, астры, астре, астру
SELG: селигдар, seligdar
MTLR: мечел, mechel
LEAS: европлан, europlan
UGLD: югк, южуралзолото
BELU: новабев, novabev
ENPG: эн+
SVCB: совкомбанк, sovcombank
RENI: ренессанс, renaissance insurance
RAGR: русагро, rusagro
NKNC: нижнекамскнефтехим
KZOS: казаньоргсинтез
NMTP: нмтп
"""
_PREFERRED = {"SBER": "SBERP", "TATN": "TATNP", "SNGS": "SNGSP", "MTLR": "MTLRP", "RTKM": "RTKMP", "BSPB": "BSPBP"}
_WORDS = frozenset({"T", "HEAD", "LEAS", "FLOT", "MAGN", "MOEX"})
"""Tickers that are words too: only capitals make them tickers."""
_NO_TICKERS = frozenset(
    [
        "IMOEX",
        "RTSI",
        "RTS",
        "ISS",
        "API",
        "ETF",
        "IPO",
        "USD",
        "EUR",
        "CNY",
        "RUB",
        "MOEX",
        "MSK",
        "YTD",
        "MTD",
        "OHLC",
        "OHLCV",
        "JSON",
        "HTTP",
        "HTTPS",
        "HTML",
        "WHAT",
        "SHOW",
        "PRICE",
    ]
)
_EXACT_UP_TO = 4
"""Length from which a Russian name has endings; shorter ones are abbreviations."""
_TICKER = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9]{0,11}(?![\w-])")
_UNKNOWN_TICKER = re.compile(r"[A-Z]{4,6}")
_PREFERENCE = re.compile(r"преф\w*|привилегирован\w*|\bап\b|preferred|\bprefs?\b")
_NEAR = 20
"""Characters between a name and the word that makes it a preferred share."""


def find_securities(text: str) -> tuple[str, ...]:
    """Return the tickers of the securities that *text* mentions, each once, in their order.

    A word of four to six Latin capitals is a ticker, also an unknown one, unless the whole text is in capitals.
    """
    return tuple(dict.fromkeys(ticker for _start, _end, ticker in find_places(text)))


def find_places(text: str) -> list[tuple[int, int, str]]:
    """Return start, end and ticker of each security that *text* mentions, in their order."""
    return sorted([*_find_names(text), *_find_tickers(text)])


def _find_names(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield place and ticker of each name."""
    lowered = text.lower().replace("ё", "е")
    pattern, tickers = _name_pattern()
    for match in pattern.finditer(lowered):
        ticker = tickers[(match.lastindex or 1) - 1]
        around = lowered[max(0, match.start() - _NEAR) : match.end() + _NEAR]
        yield *match.span(), _PREFERRED.get(ticker, ticker) if _PREFERENCE.search(around) else ticker


def _find_tickers(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield place and ticker of each ticker."""
    shouted = text.upper() == text and len(text.split()) > 1
    for match in _TICKER.finditer(text):
        word = match.group()
        ticker = word.upper()
        is_known = ticker in _known_tickers() and (
            word == ticker or (len(word) >= _EXACT_UP_TO and ticker not in _WORDS)
        )
        is_new = not shouted and ticker not in _NO_TICKERS and _UNKNOWN_TICKER.fullmatch(word) is not None
        if is_known or is_new:
            yield *match.span(), ticker


@cache
def _known_tickers() -> frozenset[str]:
    return frozenset(line.partition(":")[0] for line in _NAMES.split("\n") if line) | frozenset(_PREFERRED.values())


@cache
def _name_pattern() -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return a pattern with a group for each name, longest first, and the ticker of each group."""
    names = sorted(
        (
            (name.strip(), ticker)
            for ticker, _colon, line in (each.partition(":") for each in _NAMES.split("\n") if each)
            for name in line.split(",")
        ),
        key=lambda pair: -len(pair[0]),
    )
    groups = "|".join(f"({re.escape(name)}{_ending_of(name)})" for name, _ticker in names)
    return re.compile(rf"(?<![\w-])(?:{groups})(?![\w-])"), tuple(ticker for _name, ticker in names)


def _ending_of(name: str) -> str:
    """Return a pattern of the endings of a name."""
    if name.isascii():
        return "(?:'s)?"
    return "[ауеы]?(?:ом)?" if name == "сбер" else "" if len(name) < _EXACT_UP_TO else "[а-я]{0,3}"
