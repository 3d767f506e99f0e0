"""The builder of problems: instructors write them as formulas, prove and publish them."""
