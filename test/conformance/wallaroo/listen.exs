# A hub that is nothing but the decoder of Wallaroo's own Metrics UI: `elixir -r hub_protocol.ex
# listen.exs`. It says its port, then one line for each frame of each connection, as the decoder and
# the framing of the platform (packet: 4, as the Metrics UI has it) give them; fields stand apart by
# tabs, texts in Base64. A line `drop` on stdin closes the connection at hand.
alias MonitoringHubUtils.Serializers.HubProtocol

defmodule Listen do
  def accept(listener, number) do
    {:ok, socket} = :gen_tcp.accept(listener)
    send(:current, {:socket, socket})
    read(socket, number)
    accept(listener, number + 1)
  end

  defp read(socket, number) do
    case :gen_tcp.recv(socket, 0) do
      {:ok, data} ->
        say([number | fields(HubProtocol.decode(data))])
        read(socket, number)

      {:error, reason} ->
        say([number, "end", reason])
    end
  rescue
    error -> say([number, "refused", text(Exception.message(error))])
  end

  defp fields({:ok, %{"path" => path}}), do: ["connect", text(path)]

  defp fields({:ok, %{"event" => "phx_join", "topic" => topic, "payload" => payload}}),
    do: ["join", text(topic), text(payload["worker_name"] || "")]

  defp fields({:ok, %{"event" => event, "topic" => topic, "payload" => payload}}) do
    texts = for key <- ["name", "category", "worker", "pipeline", "id"], do: text(payload[key])
    numbers = for key <- ["min", "max", "period", "timestamp"], do: payload[key]
    bins = Enum.join(payload["latency_list"], ",")
    ["metrics", text(event), text(topic)] ++ texts ++ numbers ++ [bins]
  end

  defp fields({:error, message}), do: ["refused", text(message)]

  # Closing is the other end's way to lose a connection.
  def drop(socket) do
    receive do
      {:socket, next} -> drop(next)
      :drop ->
        :gen_tcp.shutdown(socket, :read_write)
        drop(nil)
    end
  end

  def command(:eof), do: System.halt(0)
  def command("drop\n"), do: send(:current, :drop)

  defp text(value), do: Base.encode64(value)
  defp say(fields), do: IO.puts(Enum.join(fields, "\t"))
end

{:ok, listener} = :gen_tcp.listen(0, [:binary, ip: {127, 0, 0, 1}, packet: 4, active: false])
Process.register(spawn_link(fn -> Listen.drop(nil) end), :current)
spawn_link(fn -> Listen.accept(listener, 0) end)
{:ok, port} = :inet.port(listener)
IO.puts("port\t#{port}")
Stream.repeatedly(fn -> IO.gets("") end) |> Enum.each(&Listen.command/1)
