// Lines of JSON on stdout, each written in one piece, since a peer may be killed at any moment; NaN
// and infinities are texts.
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
    private static readonly Stream Out = Console.OpenStandardOutput();

    public static void Write(object line)
    {
        byte[] text = [.. JsonSerializer.SerializeToUtf8Bytes(line, Options), (byte)'\n'];
        lock (Gate)
        {
            Out.Write(text);
        }
    }
}
