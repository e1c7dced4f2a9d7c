package verdicts

import (
	"encoding/json"
	"fmt"
)

// This file has what an audit reads of the JSON report (docs/reference/report.md).

type report struct {
	Catches []reportCatch `json:"catches"`
	Matrix  []struct {
		Catch, Test, Type, Outcome string
		Fired                      int
	} `json:"matrix"`
	Problems []struct{ Severity, Message, File string } `json:"problems"`
}

type reportCatch struct {
	ID       string          `json:"id"`
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Types    []string        `json:"types"`
	InTests  bool            `json:"inTests"`
	Reached  bool            `json:"reached"`
	Links    []reportLink    `json:"links"`
	Usages   usages          `json:"usages"`
	Evidence json.RawMessage `json:"contract"` // all of it, for the page
	contract contract
}

type reportLink struct {
	ID        string       `json:"id"`
	ThrowSite throwSite    `json:"throwSite"`
	Exception string       `json:"exception"`
	Predicted bool         `json:"predicted"`
	Outcome   string       `json:"outcome"`
	Chain     []stackFrame `json:"chain"`
}

type throwSite struct {
	Class, Method string
	Line          int
}

func (s throwSite) String() string { return fmt.Sprintf("%s.%s line %d", s.Class, s.Method, s.Line) }

type stackFrame struct {
	Class, Method string
	Line          int
}

type usages struct{ Pink, White, Blue int }

type contract struct {
	Reading            string
	OtherReading       struct{ Reading, SourceIndependence, Why string }
	SourceIndependence string
	PureResilience     string
	Why                string
	Stale              bool
	Witnesses          []witness
}

type witness struct {
	Test, Injected, Outcome, Message, Constructed string
	Reading                                       string // white: struck were executions that had ended in the catch
	Provenance                                    string
	Struck                                        []string
	Fired                                         int
	Usage                                         usages
	Stack                                         []stackFrame
}

// parseReport reads a JSON report.
func parseReport(data []byte) (*report, error) {
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	for i := range r.Catches {
		c := &r.Catches[i]
		if err := json.Unmarshal(c.Evidence, &c.contract); err != nil {
			return nil, fmt.Errorf("contract of %s: %w", c.ID, err)
		}
	}
	return &r, nil
}
