"""Understanding of questions about the Moscow Exchange, and answers to them; all of it is pure."""
