/** The id of a group's section, and of the link to it in the index. */
export function groupAnchor(key: string): string {
  return `group-${encodeURIComponent(key)}`
}
