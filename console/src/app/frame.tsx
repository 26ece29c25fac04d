import { type ReactNode, useEffect, useRef } from 'react'
import { Icon } from '../components/icon.tsx'
import { Link } from '../lib/router.tsx'

interface PageTitleProps {
  title: string
  /** The list that this page belongs to. */
  back?: { to: string; words: string }
  /** Beside the title: states. */
  beside?: ReactNode
  /** The main actions. */
  actions?: ReactNode
  lead?: ReactNode
}

/** The heading of a page; it gets the focus, so that a screen reader begins there. */
export function PageTitle({ title, back, beside, actions, lead }: PageTitleProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Stint`
  }, [title])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <header className="page-head">
      {back ? (
        <p className="back">
          <Link to={back.to}>
            <Icon name="back" />
            {back.words}
          </Link>
        </p>
      ) : null}
      <div className="page-title">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {beside ? <span className="badges">{beside}</span> : null}
      </div>
      {lead ? <div className="lead">{lead}</div> : null}
      {actions ? <div className="page-actions">{actions}</div> : null}
    </header>
  )
}
