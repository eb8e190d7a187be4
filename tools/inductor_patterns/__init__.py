"""Cases for the patterns that Inductor's pattern matcher looks for: `tools/mine_inductor_patterns.py` is the command."""
