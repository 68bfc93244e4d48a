"""The nouns of the house: frozen values that cross every boundary, standard library only.

Personal text never shows in a repr: text that has not been anonymised travels in `RawText`;
anonymised text and ids are fields with `repr=False`. All times are aware UTC datetimes, all
offsets are Unicode code points.
"""
