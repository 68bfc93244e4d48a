"""Documents into sections, a rebuildable index over them, ranked search, and locating evidence."""
