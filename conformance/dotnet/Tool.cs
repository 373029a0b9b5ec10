// A tool on the stock libraries, as dotnet-counters is one: lists processes, asks one who it is,
// and receives counters until `stop` comes on stdin.
using System.Diagnostics.Tracing;
using System.Reflection;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;

namespace Pentameter.Peer;

internal static class Tool
{
    private const int BufferMegabytes = 256;

    // What rundown true means; another keyword makes the library send CollectTracing4.
    private const long NoRundown = 0;

    public static int List()
    {
        Lines.Write(new { pids = DiagnosticsClient.GetPublishedProcesses().Order().ToArray() });
        return 0;
    }

    // The library has the facts, for its own use and that of the tools of its repository.
    public static int Info(int pid)
    {
        const BindingFlags any =
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        var client = new DiagnosticsClient(pid);
        var ask = typeof(DiagnosticsClient).GetMethod("GetProcessInfo", any, [])!;
        var info = ask.Invoke(client, null)!;
        Lines.Write(info.GetType().GetProperties(any)
            .Where(property => property.GetIndexParameters().Length == 0)
            .ToDictionary(property => property.Name, property => property.GetValue(info)?.ToString()));
        return 0;
    }

    public static int Counters(int pid, int command, string seconds, string[] names)
    {
        var providers = ProvidersOf(names, seconds);
        var client = new DiagnosticsClient(pid);
        using var session = command switch
        {
            2 => client.StartEventPipeSession(providers, requestRundown: false, BufferMegabytes),
            3 => client.StartEventPipeSession(new EventPipeSessionConfiguration(
                providers, BufferMegabytes, requestRundown: false, requestStackwalk: false)),
            _ => client.StartEventPipeSession(new EventPipeSessionConfiguration(
                providers, BufferMegabytes, rundownKeyword: NoRundown, requestStackwalk: true)),
        };
        Lines.Write(new { opened = true });
        new Thread(() => StopWhenTold(session)) { IsBackground = true }.Start();
        using var source = new EventPipeEventSource(session.EventStream);
        source.Dynamic.All += WriteCounter;
        source.Process();
        Lines.Write(new { ended = true, lost = source.EventsLost });
        return 0;
    }

    // So many sessions, one after the other, each ended in good order behind its first counter.
    public static int Visits(int pid, int count, string seconds, string[] names)
    {
        var client = new DiagnosticsClient(pid);
        for (var i = 0; i < count; i++) Visit(client, ProvidersOf(names, seconds));
        Lines.Write(new { visits = count });
        return 0;
    }

    private static void Visit(DiagnosticsClient client, EventPipeProvider[] providers)
    {
        using var session = client.StartEventPipeSession(providers, requestRundown: false);
        using var source = new EventPipeEventSource(session.EventStream);
        var isOver = 0;
        source.Dynamic.All += traceEvent =>
        {
            if (traceEvent.EventName != "EventCounters") return;
            if (Interlocked.Exchange(ref isOver, 1) == 0) Task.Run(session.Stop);
        };
        source.Process();
    }

    private static EventPipeProvider[] ProvidersOf(string[] names, string seconds) =>
        names.Select(name => new EventPipeProvider(
            name, EventLevel.Informational, 0,
            new Dictionary<string, string> { ["EventCounterIntervalSec"] = seconds })).ToArray();

    private static void StopWhenTold(EventPipeSession session)
    {
        while (Console.ReadLine() is { } line && line != "stop") { }
        session.Stop();
    }

    private static void WriteCounter(TraceEvent traceEvent)
    {
        if (traceEvent.EventName != "EventCounters") return;
        var fields = (IDictionary<string, object>)traceEvent.PayloadValue(0);
        Lines.Write(new
        {
            provider = traceEvent.ProviderName,
            time = traceEvent.TimeStamp.ToUniversalTime().ToString("O"),
            payload = fields["Payload"],
        });
    }
}
