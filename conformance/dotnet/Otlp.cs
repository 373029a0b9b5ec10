// A process with instruments of known values, pushed by the stock exporter of OpenTelemetry: it
// writes and pushes when it is told to, on stdin, as the target does.
using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;

namespace Pentameter.Peer;

internal static class Otlp
{
    private const int Never = 3_600_000;

    public static int Run(string endpoint, string temporality)
    {
        using var meter = new Meter("Pentameter-Peer", "1.0");
        var orders = meter.CreateCounter<long>("orders", "{order}", "Paid");
        var weight = meter.CreateCounter<double>("weight", "kg");
        var open = meter.CreateUpDownCounter<int>("carts.open");
        var latency = meter.CreateHistogram<double>("latency", "ms", "Of all");
        var size = meter.CreateHistogram<long>("payload.size", "By");
        meter.CreateObservableGauge("depth", () => 7.5);
        using var provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter(meter.Name)
            .AddView("payload.size", new Base2ExponentialBucketHistogramConfiguration())
            .AddOtlpExporter((options, reader) =>
            {
                options.Protocol = OtlpExportProtocol.HttpProtobuf;
                options.Endpoint = new Uri($"{endpoint}/v1/metrics");
                reader.TemporalityPreference = Enum.Parse<MetricReaderTemporalityPreference>(
                    temporality);
                reader.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds = Never;
            })
            .Build();
        Lines.Write(new { pid = Environment.ProcessId });
        while (Console.ReadLine() is { } line && line != "exit")
        {
            if (!line.StartsWith("write ")) continue;
            var count = int.Parse(line["write ".Length..]);
            for (var i = 0; i < count; i++)
            {
                orders.Add(i, new KeyValuePair<string, object?>("lang", "en"));
                weight.Add(0.25);
                open.Add(i % 3 == 0 ? 1 : -1);
                latency.Record(i);
                size.Record(1L << (i % 20));
            }
            Lines.Write(new { pushed = provider.ForceFlush(), written = count });
        }
        return 0;
    }
}
