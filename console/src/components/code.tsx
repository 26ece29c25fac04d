import { CopyButton } from './copy-button.tsx'

interface CodeProps {
  text: string
  /** Names it to a screen reader, and on the button that copies it. */
  what: string
  /** Long lines scroll inside the box instead of wrapping. */
  wraps?: boolean
}

/** A text to copy: a call, a payload, a snippet. */
export function Code({ text, what, wraps = false }: CodeProps) {
  return (
    <div className={text.includes('\n') ? 'code' : 'code line'}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard (WCAG 2.1.1) */}
      {/* biome-ignore lint/a11y/useSemanticElements: a figure or fieldset would say something else */}
      <pre className={wraps ? 'wraps' : undefined} tabIndex={0} role="group" aria-label={what}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  )
}
