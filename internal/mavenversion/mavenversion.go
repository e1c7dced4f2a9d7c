// Package mavenversion orders versions and understands version ranges, as Maven's ComparableVersion
// and VersionRange do for the versions that occur.
package mavenversion

import (
	"errors"
	"strings"
)

// Compare orders two versions as Maven does: -1, 0 or 1.
func Compare(a, b string) int {
	x, y := versionItems(a), versionItems(b)
	for i := 0; i < len(x) || i < len(y); i++ {
		var p, q versionItem
		if i < len(x) {
			p = x[i]
		} else {
			p = y[i].zero()
		}
		if i < len(y) {
			q = y[i]
		} else {
			q = x[i].zero()
		}
		if c := p.compare(q); c != 0 {
			return c
		}
	}
	return 0
}

// versionItem is a number (without leading zeros) or a qualifier.
type versionItem struct {
	num   string
	qual  string
	isNum bool
}

var qualifierRank = map[string]int{"alpha": 1, "a": 1, "beta": 2, "b": 2, "milestone": 3, "m": 3, "rc": 4, "cr": 4,
	"snapshot": 5,
	"":         6, "ga": 6, "final": 6, "release": 6, "sp": 7}

func (v versionItem) zero() versionItem {
	if v.isNum {
		return versionItem{isNum: true}
	}
	return versionItem{}
}

func (v versionItem) compare(w versionItem) int {
	switch {
	case v.isNum && w.isNum:
		if len(v.num) != len(w.num) {
			return sign(len(v.num) - len(w.num))
		}
		return strings.Compare(v.num, w.num)
	case v.isNum:
		return 1 // 1.1 > 1-sp > 1-ga
	case w.isNum:
		return -1
	}
	rv, okv := qualifierRank[v.qual]
	rw, okw := qualifierRank[w.qual]
	switch {
	case okv && okw:
		return sign(rv - rw)
	case okv:
		return -1
	case okw:
		return 1
	}
	return strings.Compare(v.qual, w.qual)
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// versionItems splits at dots, hyphens, underscores and between digits and
// letters.
func versionItems(s string) []versionItem {
	s = strings.ToLower(s)
	var out []versionItem
	for i := 0; i < len(s); {
		j := i
		digit := isDigit(s[i])
		for j < len(s) && isDigit(s[j]) == digit && !strings.ContainsRune(".-_+", rune(s[j])) {
			j++
		}
		if j > i {
			if digit {
				out = append(out, versionItem{num: strings.TrimLeft(s[i:j], "0"), isNum: true})
			} else {
				out = append(out, versionItem{qual: s[i:j]})
			}
		}
		if j < len(s) && strings.ContainsRune(".-_+", rune(s[j])) {
			j++
		}
		i = j
	}
	return normalize(out)
}

// normalize drops zeros before qualifiers and what means nothing at the end:
// 1.0-final is 1.
func normalize(items []versionItem) []versionItem {
	nothing := func(v versionItem) bool {
		return v.isNum && v.num == "" || !v.isNum && qualifierRank[v.qual] == qualifierRank[""]
	}
	out := items[:0:0]
	for _, v := range items {
		if !v.isNum {
			for len(out) > 0 && nothing(out[len(out)-1]) {
				out = out[:len(out)-1]
			}
		}
		out = append(out, v)
	}
	for len(out) > 0 && nothing(out[len(out)-1]) {
		out = out[:len(out)-1]
	}
	return out
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Range is a union of intervals.
type Range []versionInterval

type versionInterval struct {
	low, high         string // "" is open
	lowIncl, highIncl bool
}

// IsRange says whether a version is a range rather than a recommendation.
func IsRange(v string) bool {
	return v != "" && (v[0] == '[' || v[0] == '(')
}

// ParseRange reads ranges such as "[1.2,2)" and "[1,),[0.9]"; the error says that it is none.
func ParseRange(s string) (Range, error) {
	bad := errors.New("not a version range: " + s)
	var out Range
	for rest := strings.TrimSpace(s); rest != ""; {
		if !IsRange(rest) {
			return nil, bad
		}
		end := strings.IndexAny(rest, "])")
		if end < 0 {
			return nil, bad
		}
		iv := versionInterval{lowIncl: rest[0] == '[', highIncl: rest[end] == ']'}
		lo, hi, two := strings.Cut(rest[1:end], ",")
		iv.low, iv.high = strings.TrimSpace(lo), strings.TrimSpace(hi)
		if !two {
			iv.high = iv.low
		}
		out = append(out, iv)
		rest = strings.TrimLeft(rest[end+1:], ", ")
	}
	if len(out) == 0 {
		return nil, bad
	}
	return out, nil
}

// Contains tells whether a version is in the range.
func (r Range) Contains(v string) bool {
	for _, iv := range r {
		if iv.low != "" {
			if c := Compare(v, iv.low); c < 0 || c == 0 && !iv.lowIncl {
				continue
			}
		}
		if iv.high != "" {
			if c := Compare(v, iv.high); c > 0 || c == 0 && !iv.highIncl {
				continue
			}
		}
		return true
	}
	return false
}
