/**
 * Targets into the hub: an address is one, and is scraped until it is closed. No two of a hub have
 * the same labels: what one exposes would be added to what the other does.
 */
import { sortLabels } from '../../../model/index.ts'
import type { Source, SourceContext, Target } from '../../endpoints.ts'
import type { ScrapingOptions } from '../options.ts'
import { scrapeTarget } from './address.ts'
import { Scraper } from './scraper.ts'

/**
 * Begins to scrape a target.
 * @throws {TypeError} for an address that makes no sense, one that the rules of its job drop, and
 *   one to which they give the labels of another target
 */
export function connectSource(target: Target, context: SourceContext): Source {
  const scraped = scrapeTarget(target, context.options as ScrapingOptions)
  if (scraped === undefined) throw new TypeError('the rules of its job drop it')
  const targets = context.shared(() => new Map<string, string>())
  const labels = JSON.stringify(sortLabels(scraped.labels))
  const other = targets.get(labels)
  if (other !== undefined) {
    throw new TypeError(
      `its series would be those of ${other}: after relabelling it has its labels`,
    )
  }
  targets.set(labels, scraped.url.href)
  return new Scraper(scraped, context, () => targets.delete(labels))
}
