// Lines of JSON on stdout; NaN and infinities are texts.
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Pentameter.Peer;

internal static class Lines
{
    private static readonly JsonSerializerOptions Options = new()
    {
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    private static readonly Lock Gate = new();

    public static void Write(object line)
    {
        var text = JsonSerializer.Serialize(line, Options);
        lock (Gate)
        {
            Console.Out.WriteLine(text);
            Console.Out.Flush();
        }
    }
}
