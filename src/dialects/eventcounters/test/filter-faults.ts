/** What dotnet-counters says of a list that it does not take (eventcounters.md §4.8). */
export const FILTER_FAULTS = {
  empty: 'Expected non-empty counter_provider',
  open: "Expected to find closing ']' in counter_provider",
  trailing: "Unexpected characters after closing ']' in counter_provider",
  twice: "Expected at most one '[' in counter_provider",
  prefix:
    'Using the same provider name with and without the EventCounters\\ prefix in the counter list' +
    ' is not supported.',
} as const
