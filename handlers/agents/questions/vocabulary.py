"""Words of questions that have a meaning, in Russian and English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from handlers.agents.questions.notices import Topic


def _words(*patterns: str) -> re.Pattern[str]:
    """Return a pattern of whole words."""
    return re.compile(rf"(?<![\w&])(?:{'|'.join(patterns)})(?![\w&])")


POLITENESS: Final = _words(
    r"не подскаж\w+(?: ли)?(?: мне)?", r"не мог\w* бы(?: вы| ты)?", r"не знаешь(?: ли)?", r"не знаете(?: ли)?", r"don't you know",
)  # fmt: skip
"""Words with a negation that negate nothing."""
EXCLUSION: Final = _words(
    r"кроме", r"без", r"не считая", r"исключая", r"за исключением", r"не(?: на| за| по| в)?", r"except(?: for)?", r"excluding",
    r"without", r"not", r"but not", r"other than", r"apart from", r"isn't", r"don't", r"didn't",
)  # fmt: skip
TOPICS: Final[Mapping[Topic, re.Pattern[str]]] = {
    Topic.CURRENCY: _words(r"в (?:доллар|евро|юан)\w*(?: сша)?", r"in (?:us )?(?:dollars|euros|usd|eur|yuan|cny)"),
    Topic.OTHER_INDICES: _words(
        r"индекс\w* (?:голубых фишек|металл\w*(?: и добыч\w*)?|нефт\w+ и газ\w*|финанс\w*|гособлигаци\w*|облигаци\w*|потреб\w*|химии|транспорт\w*|"
        r"строит\w*|недвижим\w*|телеком\w*|электроэнергетик\w*|инноваци\w*|средней.*капитализации|волатильности)", r"голуб\w+ фиш\w+", r"blue.?chips?(?: index)?",
        r"moexbc", r"rgbi", r"rvi", r"rucbitr", r"moex(?:og|mm|fn|eu|tl|cn|ch|tn|it|re)", r"dax", r"ftse",
    ),
    Topic.MARKET_CAP: _words(r"(?:рыночн\w+ )?капитализаци\w*", r"рыночн\w+ стоимост\w*", r"market ?cap\w*", r"capitali[sz]ation"),
    Topic.INDICATORS: _words(
        r"rsi", r"macd", r"sma", r"ema", r"скользящ\w+(?: средн\w+)?", r"(?:\d+-day )?moving averages?", r"поддержк\w*", r"сопротивлени\w*",
        r"корреляци\w*", r"correlat\w*", r"бет[ауы]", r"beta", r"шарп\w*", r"sharpe(?: ratio)?", r"боллинджер\w*", r"bollinger\w*", r"индикатор\w*",
    ),
    Topic.DIVIDENDS: _words(r"дивиденд\w*(?: доходност\w*)?", r"див доходност\w*", r"dividends?(?: yields?)?", r"yields?", r"payouts?"),
    Topic.FORECASTS: _words(
        r"прогноз\w*", r"спрогнозир\w*", r"предска\w*", r"ожидани\w*", r"ожида\w+", r"(?:сколько )?буд[еу]т(?: стоить| расти| падать)?",
        r"вырастет(?: ли)?", r"вырастут(?: ли)?", r"упадет(?: ли)?", r"упадут(?: ли)?", r"подорожает(?: ли)?", r"подешевеет(?: ли)?",
        r"достигнет", r"(?:целев\w+|справедлив\w+) цен\w*", r"таргет\w*", r"forecasts?", r"predict\w*", r"outlook",
        r"will(?: \S+)?(?: (?:grow|rise|fall|drop|go|reach|be|cost|pay|continue)\w*)?(?: up| down)?", r"going to(?: \w+)?", r"target prices?", r"price targets?", r"fair (?:price|value)", r"expect\w*",
    ),
    Topic.FUNDAMENTALS: _words(
        r"p ?/ ?[ebs]", r"ev ?/ ?ebitda", r"ebitda", r"выручк\w*", r"прибыл\w*", r"убыт\w*", r"отчетност\w*", r"отчет\w*", r"мсфо",
        r"рсбу", r"мультипликатор\w*", r"долг\w*", r"баланс\w*", r"фундаментал\w*", r"рентабельност\w*", r"free.?float", r"isin",
        r"размер лота", r"лотност\w*", r"revenue\w*", r"earnings", r"eps", r"profit\w*", r"net income", r"debt\w*", r"roe", r"roa",
        r"multiples?", r"valuation", r"fundamentals?", r"balance sheets?", r"lot size",
    ),
    Topic.NEWS: _words(
        r"новост\w*", r"почему", r"отчего", r"из-за чего", r"причин\w*", r"что случилось с", r"какие события", r"why(?: did| is| are| has| does)?",
        r"(?:any )?news", r"reasons?", r"headlines?",
    ),
    Topic.ADVICE: _words(
        r"стоит ли(?: \w+ть)?", r"стоит (?:купить|продать|покупать|продавать|брать)", r"покупать(?: ли)?", r"купить(?: ли)?", r"продавать(?: ли)?",
        r"продать(?: ли)?", r"держать(?: ли)?", r"посовету\w*", r"совет\w*", r"рекоменд\w*", r"что делать с", r"вложить\w*", r"инвестировать",
        r"should (?:i|we) (?:buy|sell|hold|invest|keep)(?: in)?", r"buy", r"sell", r"hold", r"invest", r"advice", r"advise", r"recommend\w*", r"worth buying",
    ),
    Topic.OTHER_MARKETS: _words(
        r"(?:курс\w* )?(?:доллар|евро|юан)\w*", r"биткоин\w*", r"bitcoins?", r"btc", r"eth", r"крипт\w*", r"crypto\w*", r"облигаци\w*", r"офз",
        r"bonds?", r"фьючерс\w*(?: на)?", r"futures?", r"опцион\w*(?: на)?", r"options?", r"etf", r"бпиф\w*", r"пиф\w*", r"золот\w*", r"gold",
        r"серебр\w*", r"silver", r"нефт\w*(?: brent)?", r"brent", r"oil", r"валют\w*", r"s&p(?: 500)?", r"nasdaq\w*", r"dow jones", r"насдак\w*",
        r"usd(?: ?/ ?rub)?", r"eur(?: ?/ ?rub)?", r"cny", r"exchange rate",
    ),
    Topic.ORDER_BOOK: _words(
        r"стакан\w*", r"заявк\w*", r"спред\w*", r"бид\w*", r"аск\w*", r"order ?books?", r"bids?", r"asks?", r"spreads?",
    ),
    Topic.EXTREMES: _words(
        r"(?:историческ\w+ )?(?:максим\w+|миним\w+)(?: цен\w*)?", r"хай", r"лой", r"средн\w+ цен\w*", r"медианн\w+ цен\w*", r"рекорд\w*", r"просадк\w*",
        r"(?:all-time |52-week )?(?:high|highs|low|lows)", r"(?:highest|lowest|average|mean|median|maximum|minimum)(?: closing)?(?: prices?)?",
        r"drawdowns?", r"records?", r"peaks?",
    ),
    Topic.INDEX_LEVEL: _words(r"(?:сколько )?пункт\w*", r"уров(?:ень|ня|не) индекса", r"значени\w+ индекса", r"(?:the )?levels? of(?: the)?", r"points"),
}  # fmt: skip
"""Words that no tool answers. The first ones have parts that mean another topic alone."""
ALWAYS_REJECTED: Final = frozenset({Topic.OTHER_MARKETS, Topic.OTHER_INDICES})
"""Topics that make the rest of a question mean something else."""

INDEX_NAMES: Final[Mapping[str, re.Pattern[str]]] = {
    "IMOEX": _words(
        r"imoex", r"(?:moex|moscow exchange) index", r"индекс\w* (?:мосбирж\w*|московск\w+ бирж\w*|ммвб|moex|imoex)", r"ммвб",
        r"мосбирж\w* индекс\w*",
    ),
    "RTSI": _words(r"(?:индекс\w* )?rtsi?(?: index)?", r"(?:индекс\w* )?ртс"),
}  # fmt: skip
"""Names of indices."""
INDEX_ANY: Final = _words(
    r"индекс\w*", r"index\w*", r"indices", r"constituents", r"рын(?:ок|ка|ке|ком)(?: акций)?", r"(?:stock )?market", r"gainers", r"losers",
    r"лидер\w* (?:роста|падения|рынка)",
)  # fmt: skip
MEMBERS: Final = _words(
    r"состав\w*", r"вес(?:а|ы|ом|у|ов)?", r"(?:по)?тян\w+", r"лидер\w*(?: роста| падения| рынка)?", r"аутсайдер\w*", r"вход\w+", r"(?:top )?movers?",
    r"weights?", r"constituents", r"composition", r"members?", r"pull\w*", r"drag\w*", r"lift\w*", r"push\w*", r"gainers", r"losers", r"lead\w*", r"top", r"топ",
    r"весят?", r"весит", r"растущ\w+", r"падающ\w+", r"rising", r"falling",
)  # fmt: skip
"""Words about the members of an index, beside one."""
DIRECTION: Final = _words(r"вверх", r"вниз", r"up", r"down")
VENUE: Final = _words(
    r"на (?:московск\w+ бирж\w+|мосбирж\w+|бирж\w+|рынке)", r"(?:on|at) (?:the )?(?:moscow exchange|moex|market|exchange)",
)  # fmt: skip
"""Words that name no security and no index."""
COMPARE: Final = _words(
    r"сравн\w*", r"против", r"лучше", r"хуже", r"больше(?: всех)?", r"сильнее(?: всех)?", r"меньше", r"или", r"versus", r"vs\.?", r"compar\w*", r"better",
    r"worse", r"more", r"most", r"less", r"against",
)  # fmt: skip
PRICE: Final = _words(
    r"цен\w*", r"стоил\w*", r"стоимост\w*", r"курс\w*", r"котировк\w*", r"котиру\w*", r"prices?", r"priced", r"quot\w*", r"cost\w*",
)  # fmt: skip
PRICE_NOW: Final = _words(r"стоит", r"стоят", r"почем", r"trading at", r"worth", r"торгу\w+тся")
NOW: Final = _words(
    r"(?:на )?сегодня\w*(?: день)?", r"(?:прямо )?сейчас", r"(?:в|на) (?:данный|настоящий|текущий) момент", r"за день", r"today(?:'s)?", r"(?:right )?now",
    r"currently", r"at the moment", r"current", r"текущ\w+", r"latest", r"последн\w+ цен\w*",
)  # fmt: skip
CHANGE: Final = _words(
    r"измен\w*", r"меня\w*", r"поменял\w*", r"колебал\w*", r"просел\w*", r"взлетел\w*", r"рухнул\w*", r"двига\w*", r"движени\w*",
    r"сходил\w*", r"показал\w*", r"принес\w*", r"заработал\w*", r"mov\w+", r"drop\w*", r"climb\w*", r"jump\w*", r"declin\w*", r"decreas\w*",
    r"increas\w*", r"risen", r"fared?", r"behav\w*", r"develop\w*", r"dynamics", r"(?:вы|под|воз)?рос(?:л\w*)?", r"раст\w*", r"рост\w*", r"упа\w*", r"пада\w*", r"паден\w*", r"сниз\w*", r"снижа\w*", r"подешев\w*",
    r"подорож\w*", r"динамик\w*", r"доходност\w*", r"закры\w*ся", r"закрылись", r"прибавил\w*", r"потерял\w*", r"вел\w* себя", r"chang\w*", r"perform\w*",
    r"returns?", r"grow\w*", r"grew", r"fell", r"fall\w*", r"rise\w*", r"rose", r"gain\w*", r"lost", r"trend\w*", r"histor\w*", r"истори\w*", r"positive",
    r"negative", r"went",
)  # fmt: skip
RISK: Final = _words(r"волатильност\w*", r"volatil\w*", r"риск\w*", r"risk\w*")
VOLUME: Final = _words(
    r"(?:средн\w+ )?(?:дневн\w+ )?об[ъь]ем\w*(?: торг\w*)?",
    r"оборот\w*",
    r"(?:average )?(?:trading |daily )?volumes?",
    r"turnover",
)
HOURLY: Final = _words(r"почасов\w*", r"по часам", r"часов(?:ой|ые|ых)", r"hourly", r"by hour")
OVERVIEW: Final = _words(
    r"расска\w+", r"обзор\w*", r"опиши", r"анализ\w*", r"проанализируй\w*", r"подробн\w*", r"analy[sz]\w*", r"details?", r"информаци\w*", r"обо? вс\w+", r"overview", r"tell me", r"describe", r"summar\w*", r"everything",
)  # fmt: skip
FILLER: Final = _words(
    # prepositions, conjunctions, articles
    r"а", r"и", r"в", r"во", r"на", r"за", r"с", r"со", r"к", r"ко", r"по", r"о", r"об", r"от", r"у", r"про", r"из", r"для", r"же", r"ли", r"то", r"тот",
    r"ну", r"еще", r"также", r"что", r"чтобы", r"как", r"чем", r"это", r"бы", r"of", r"on", r"in", r"at", r"for", r"to", r"the", r"an?", r"and", r"or",
    r"with", r"by", r"from", r"over", r"about", r"as", r"also", r"then", r"just", r"so", r"than", r"but", r"if", r"between",
    # questions and verbs without a meaning of their own
    r"как(?:ая|ой|ие|ое|ов|ова|овы|ую)", r"кто", r"кого", r"котор\w+", r"сколько", r"где", r"когда", r"есть", r"был[аои]?", r"быть", r"стал\w*", r"дела",
    r"там", r"тут", r"он", r"она", r"они", r"оно", r"его", r"ее", r"их", r"них", r"него", r"нее", r"ним", r"мне", r"меня", r"мой", r"я", r"мы", r"нам",
    r"ты", r"вы", r"вас", r"нас", r"дай(?:те)?", r"покажи\w*", r"показать", r"скажи\w*", r"сообщи\w*", r"назови\w*", r"подскажи\w*", r"узнать",
    r"хо(?:чу|тел|тела)", r"интересу\w*", r"интересно", r"нужн\w*", r"можно", r"можешь", r"можете", r"знать", r"посмотр\w*", r"пожалуйста", r"плиз", r"произошло",
    r"происход\w*", r"данные", r"what", r"what's", r"how", r"how's", r"who", r"which", r"where", r"when", r"is", r"are", r"was", r"were", r"be", r"been",
    r"has", r"have", r"had", r"do", r"does", r"did", r"doing", r"done", r"it", r"its", r"them", r"they", r"their", r"this", r"that", r"these", r"those",
    r"i", r"me", r"my", r"we", r"us", r"you", r"your", r"can", r"could", r"would", r"may", r"ask", r"like", r"please", r"show", r"tell", r"give", r"get",
    r"find", r"see", r"know", r"want", r"much", r"many", r"any", r"there", r"look\w*", r"happened", r"data", r"'s",
    # what is said of any security
    r"акци\w*", r"бумаг\w*", r"компани\w*", r"тикер\w*", r"эмитент\w*", r"инструмент\w*", r"торг\w*", r"бирж\w*", r"московск\w+ бирж\w*", r"обыкновенн\w*",
    r"дневн\w+", r"по дням", r"daily", r"руб\w*", r"процент\w*", r"stocks?", r"shares?", r"securit\w+", r"tickers?", r"compan\w+", r"traded?", r"trading",
    r"ordinary", r"roubles?", r"rubles?", r"percent", r"одной", r"одна", r"весь", r"все", r"всего", r"all", r"moex", r"moscow exchange",
    r"пао", r"ао", r"мкпао", r"оао", r"нк", r"гк", r"гмк", r"pjsc", r"inc", r"ltd",
    # greetings
    r"привет\w*", r"здравств\w*", r"добр\w+ (?:день|утро|вечер)", r"спасибо", r"благодар\w*", r"большое", r"пока", r"умеешь", r"умеете", r"hello", r"hi",
    r"hey", r"thanks?", r"bye", r"good (?:morning|day|evening)", r"help", r"помо\w+", r"ok", r"да", r"нет", r"yes", r"no",
)  # fmt: skip
"""Words that change no answer."""
PREFERRED: Final = _words(r"преф\w*", r"привилегирован\w*", r"ап", r"preferred", r"prefs?")
JOINING: Final = frozenset((
    "а", "и", "в", "во", "на", "за", "с", "со", "к", "ко", "по", "о", "об", "от", "у", "из", "для", "of", "on", "in",
    "at", "for", "to", "the", "a", "an", "and", "with", "by", "from", "over", "about", "during",
))  # fmt: skip
"""Words that may stand between two words of one phrase."""
TEMPORAL: Final = re.compile(
    r"(?:час|минут|секунд|утр|вечер|ночь|ночи|ночью|полдень|дн[яеюй]|день|дней|дня|сут|недел|месяц|квартал|полугод|год|лет$|век|сезон|весн|весен|лет[оа]м|"
    r"осен|зим|начал|середин|конц|конец|январ|феврал|март|апрел|ма[йяе]$|июн|июл|август|сентябр|октябр|ноябр|декабр|понедельник|вторник|сред[ауые]$|"
    r"четверг|пятниц|суббот|воскрес|вчера|позавчера|завтра|до$|после$|перед$|накануне$|между$|назад$|последн|прошл|"
    r"hour|minute|second$|seconds|morning|evening|night|noon|day|week|month|quarter|year|decade|century|spring|summer|autumn|winter|beginning|middle$|"
    r"january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"yesterday|tomorrow|before$|after$|until$|till$|around$|during$|ago$|since$|last$|past$|"
    r"\d+[.:/-]\d|(?:19|20)\d\d$)"
)
"""Beginnings of words about time."""
