"""Code that all apps share. It imports none of them."""
