"""The same tools and rows, served by toolpact and by those it is measured beside."""
