"""Networks small enough for numpy: which phone is spoken, and where exactly it ends."""
