// The standard fixture with @solo-io/proxy-runtime: a_counter, a_gauge and a_histogram, at each
// request +1, 42 and 10. The host's configuration is echoed in a response header.
export * from '@solo-io/proxy-runtime/proxy'
import {
  Context,
  Counter,
  FilterHeadersStatusValues,
  Gauge,
  Histogram,
  RootContext,
  registerRootContext,
  stream_context,
} from '@solo-io/proxy-runtime'

class Root extends RootContext {
  counter: Counter = new Counter('a_counter')
  gauge: Gauge = new Gauge('a_gauge')
  histogram: Histogram = new Histogram('a_histogram')

  createContext(context_id: u32): Context {
    return new Request(context_id, this)
  }
}

class Request extends Context {
  root: Root

  constructor(context_id: u32, root: Root) {
    super(context_id, root)
    this.root = root
  }

  onRequestHeaders(_headers: u32, _end: bool): FilterHeadersStatusValues {
    this.root.counter.increment(1)
    // The SDK wants the metric's id again.
    this.root.gauge.record(this.root.gauge.metric_id, 42)
    this.root.histogram.record(this.root.histogram.metric_id, 10)
    return FilterHeadersStatusValues.Continue
  }

  onResponseHeaders(_headers: u32, _end: bool): FilterHeadersStatusValues {
    stream_context.headers.response.add('x-configuration', this.root.getConfiguration())
    return FilterHeadersStatusValues.Continue
  }
}

registerRootContext((id: u32) => new Root(id), 'a_root')
