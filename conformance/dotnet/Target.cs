// A process whose counters have known values. It writes when it is told to, on stdin, so that no
// test depends on when: `write N` writes N times, `look` says what the process holds, `exit` and the
// end of stdin end it.
using System.Diagnostics;
using System.Diagnostics.Tracing;

namespace Pentameter.Peer;

[EventSource(Name = "Pentameter-Peer")]
internal sealed class PeerSource : EventSource
{
    private readonly EventCounter latency;
    private readonly IncrementingEventCounter orders;
    private readonly PollingCounter depth;
    private readonly IncrementingPollingCounter bytes;
    private long written;

    public PeerSource()
    {
        latency = new EventCounter("latency", this)
        {
            DisplayName = "Latency of orders",
            DisplayUnits = "ms",
        };
        latency.AddMetadata("zone", "b");
        orders = new IncrementingEventCounter("orders", this)
        {
            DisplayName = "Orders",
            DisplayRateTimeScale = TimeSpan.FromMinutes(1),
        };
        depth = new PollingCounter("depth", this, () => 7.5) { DisplayName = "Depth" };
        bytes = new IncrementingPollingCounter("bytes", this, () => 1000.0 * written)
        {
            DisplayUnits = "B",
        };
    }

    // the values 1 to 4 in turn, 3 orders and 1000 bytes
    public void WriteOnce()
    {
        latency.WriteMetric(1 + written % 4);
        orders.Increment(3);
        written++;
    }
}

internal static class Target
{
    public static int Run()
    {
        using var source = new PeerSource();
        Lines.Write(new { pid = Environment.ProcessId, version = Environment.Version.ToString() });
        while (Console.ReadLine() is { } line && line != "exit")
        {
            if (line == "look") Look();
            if (!line.StartsWith("write ")) continue;
            var count = int.Parse(line["write ".Length..]);
            for (var i = 0; i < count; i++) source.WriteOnce();
            Lines.Write(new { written = count });
        }
        return 0;
    }

    // bytes of the managed heap once garbage is gone, threads of all kinds, bytes of memory
    private static void Look()
    {
        var heap = GC.GetTotalMemory(forceFullCollection: true);
        using var self = Process.GetCurrentProcess();
        Lines.Write(new { heap, threads = self.Threads.Count, rss = self.WorkingSet64 });
    }
}
