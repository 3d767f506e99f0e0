"""Problems that instructors write as formulas: their versions, their proofs, and who is told."""
