"""The stand-in's list of securities, as the tool gives it."""

from handlers.agents.questions.catalogue import Listing
from handlers.moex.securities import SHARE_CLASSES
from sandbox.iss.quotes import share_type
from sandbox.iss.shares import shares_on_board

LISTINGS = tuple(
    Listing(each.ticker, SHARE_CLASSES[share_type(each)], (each.short_name, each.name, each.latin_name))
    for each in shares_on_board("TQBR")
)
