import { type ReactNode, useState } from 'react'

interface ExpandableProps {
  summary: ReactNode
  isOpen?: boolean
  children: ReactNode
}

/** A row that shows more when it is opened; what it holds is made then, since a list may have hundreds. */
export function Expandable({ summary, isOpen = false, children }: ExpandableProps) {
  const [hasOpened, setOpened] = useState(isOpen)
  return (
    <details open={isOpen || undefined} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{summary}</summary>
      {hasOpened ? <div className="expanded">{children}</div> : null}
    </details>
  )
}
