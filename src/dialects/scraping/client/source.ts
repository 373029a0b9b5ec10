/** Targets into the hub: an address is one, and is scraped until it is closed. */
import type { Source, SourceContext, Target } from '../../endpoints.ts'
import type { ScrapingOptions } from '../options.ts'
import { scrapeTarget } from './address.ts'
import { Scraper } from './scraper.ts'

/**
 * Begins to scrape a target.
 * @throws {TypeError} for an address that makes no sense, and one that the rules of its job drop
 */
export function connectSource(target: Target, context: SourceContext): Source {
  const scraped = scrapeTarget(target, context.options as ScrapingOptions)
  if (scraped === undefined) throw new TypeError('the rules of its job drop it')
  return new Scraper(scraped, context)
}
