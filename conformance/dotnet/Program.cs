// The peer of .NET: as `target` a process with counters of known values, as `otlp` one that pushes
// by the stock exporter of OpenTelemetry, as `list`, `info`, `counters` and `visits` a tool on the
// stock libraries. What it says is JSON, one line each, on stdout.
using Pentameter.Peer;

return args switch
{
    ["target"] => Target.Run(),
    ["otlp", var endpoint, var temporality] => Otlp.Run(endpoint, temporality),
    ["list"] => Tool.List(),
    ["info", var pid] => Tool.Info(int.Parse(pid)),
    ["counters", var pid, var command, var seconds, .. var providers]
        => Tool.Counters(int.Parse(pid), int.Parse(command), seconds, providers),
    ["visits", var pid, var count, var seconds, .. var providers]
        => Tool.Visits(int.Parse(pid), int.Parse(count), seconds, providers),
    _ => Usage(),
};

static int Usage()
{
    Console.Error.WriteLine(
        "usage: target | otlp ENDPOINT Cumulative|Delta | list | info PID\n" +
        "       counters PID COMMAND SECONDS PROVIDER... | visits PID COUNT SECONDS PROVIDER...\n" +
        "COMMAND is 2, 3 or 4: the collect command that the library is made to send");
    return 2;
}
