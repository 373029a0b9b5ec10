/** The series of a hub that a selector matches now. */
import { selectEntries } from '../../viewer/series/select.ts'
import { Catalogue, type Entry } from '../../viewer/store/catalogue.ts'
import type { Hub } from './connect.ts'

export async function findSeries(hub: Hub, filter: string): Promise<Entry[]> {
  const catalogue = new Catalogue()
  catalogue.replace(await hub.api.listSeries())
  const isStale = (id: number): boolean => catalogue.get(id)?.info.isStale === true
  return selectEntries(catalogue.entries, { q: filter, kind: '', source: '' }, isStale)
}
