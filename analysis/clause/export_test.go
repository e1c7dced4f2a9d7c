package clause

// Steps is how much work was done for a program, of which there is more for larger methods.
func Steps(p *Program) int { return p.steps }
