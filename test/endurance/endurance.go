// Package endurance runs campaigns on programs that do their worst, and ends what
// belongs to a campaign at random moments. Its tests hold that results which were
// finished stay, that no process is left, and that the user's files are as they were
// (DESIGN D8).
package endurance
