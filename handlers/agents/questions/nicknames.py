"""Everyday names of companies that no column of the exchange's list has."""

NICKNAMES = {
    "GMKN": ("норильский никель", "norilsk nickel"),
    "MOEX": ("moscow exchange",),
    "NKNC": ("нижнекамскнефтехим",),
    "POSI": ("positive technologies",),
    "RENI": ("renaissance insurance",),
    "SBER": ("сбер",),
    "SIBN": ("газпромнефть",),
    "SNGS": ("сургут",),
    "T": ("т-банк", "т-технологии", "т технологии", "тинькофф", "tinkoff", "t-bank"),
    "VKCO": ("вконтакте", "vkontakte"),
    "X5": ("икс5", "пятерочка"),
}
"""By the ticker of the ordinary share; its preferred share has them, too.

A ticker that is not listed is passed over.
"""
