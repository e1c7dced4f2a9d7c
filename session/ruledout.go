package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/catchlens/catchlens/analysis/build"
	"github.com/catchlens/catchlens/analysis/snapshot"
)

// This file keeps beside the results what refining ruled out, so that a restarted editor does
// not show for some seconds what it had taken away.

// ruledOutKey digests the settings with which links were ruled out.
func ruledOutKey(cfg snapshot.Config) string {
	sum := sha256.Sum256([]byte(cfg.Studied.String() + "\n" + cfg.EntryPoints))
	return hex.EncodeToString(sum[:6])
}

// recallRuledOut is what refined links have ruled out, in an earlier process if in none of this
// one; nil if nothing was, or links are not refined any more.
func (p *pipeline) recallRuledOut(cfg snapshot.Config) *build.RuledOut {
	r := &p.refiner
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ruledOut != nil || r.tooMuch == len(snapshot.Refined) {
		return r.ruledOut
	}
	content, _ := p.kept.read(ruledOut, ruledOutKey(cfg))
	if content == nil {
		return nil
	}
	out, err := build.ReadRuledOut(bytes.NewReader(content))
	if err != nil {
		p.log.Debug("what was ruled out is not known any more", "error", err)
		return nil
	}
	r.ruledOut = out
	return r.ruledOut
}

// keepRuledOut keeps what was ruled out for the next process.
func (p *pipeline) keepRuledOut(cfg snapshot.Config, out *build.RuledOut) {
	var content bytes.Buffer
	if err := out.Write(&content); err != nil { // a buffer takes all
		p.log.Error("what was ruled out cannot be written", "error", err)
		return
	}
	p.kept.write(ruledOut, ruledOutKey(cfg), content.Bytes())
}
