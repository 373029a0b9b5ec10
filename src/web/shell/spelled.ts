/**
 * Text on its way to the page. Names, labels, units and words of errors come from peers: whatever
 * is rendered, attributes that people read or hear included, has the characters spelled out that
 * break lines, turn their direction or are not seen. So does what frames write (`setText`), what is
 * painted (`Painter`) and, at a terminal, what a screen's buffer takes.
 */
import { options, type VNode } from 'preact'
import { escapeUnseen } from '../../model/text/unseen.ts'

const READ_ATTRIBUTES = ['title', 'aria-label', 'label', 'placeholder']

/** Call once, before anything is rendered. */
export function spellRenderedTexts(): void {
  const before = options.vnode
  options.vnode = (node) => {
    spell(node as Rendered)
    before?.(node)
  }
}

/** A node as Preact makes it: texts have no type and are their own properties. */
type Rendered = (VNode | { type: null; props: string | number | bigint }) & { props: unknown }

function spell(node: Rendered): void {
  const { type, props } = node
  if (type === null) {
    if (typeof props === 'string') node.props = escapeUnseen(props)
  } else if (typeof type === 'string') {
    const attributes = props as Record<string, unknown>
    for (const name of READ_ATTRIBUTES) {
      const text = attributes[name]
      if (typeof text === 'string') attributes[name] = escapeUnseen(text)
    }
  }
}
