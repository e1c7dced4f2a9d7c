package results

import (
	"testing"

	"catchlens/analysis/faults"
	"catchlens/instrument/campaign"
)

// Of what other catches caught in a run with a fault counts as the fault's what the
// struck operation threw, or the JDK's code above it; not what the program did next.
func TestComesFrom(t *testing.T) {
	read := campaign.FaultRun{Root: "sun/nio/ch/SocketDispatcher.read0", Kind: faults.Reset}
	own := campaign.FaultRun{Root: "p/Client.send", Kind: "down"}
	for _, x := range []struct {
		run  *campaign.FaultRun
		site campaign.SiteRef
		want bool
	}{
		{&read, campaign.SiteRef{Class: "sun/nio/ch/SocketDispatcher", Method: "read0", Kind: "native"}, true},
		{&read, campaign.SiteRef{Class: "sun/nio/ch/NioSocketImpl", Method: "implRead", Kind: "explicit"}, true},
		{&read, campaign.SiteRef{Class: "java/io/FileInputStream", Method: "open0", Kind: "native"}, false},
		{&read, campaign.SiteRef{Class: "p/Program", Method: "giveUp", Kind: "explicit"}, false},
		{&own, campaign.SiteRef{Class: "p/Client", Method: "send", Kind: "declared", Fault: "down"}, true},
		{&own, campaign.SiteRef{Class: "p/Client", Method: "send", Kind: "declared", Fault: "slow"}, false},
	} {
		if got := comesFrom(x.run, campaign.Experienced{Site: x.site}); got != x.want {
			t.Errorf("%+v with %s in %s: %t", x.site, x.run.Kind, x.run.Root, got)
		}
	}
}
