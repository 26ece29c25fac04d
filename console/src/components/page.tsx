import { type ReactNode, useEffect, useRef } from 'react'
import mark from '../assets/mark.svg'

interface PageProps {
  title: string
  /** Beside the name of the product, e.g. who is signed in. */
  aside?: ReactNode
  children: ReactNode
}

/** One card in the middle. The heading gets the focus, so that a screen reader begins there and no key decides anything. */
export function Page({ title, aside, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Stint`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className="page">
      <header className="top">
        <a className="product" href="/console">
          <img src={mark} alt="" width="28" height="28" />
          <span>Stint</span>
        </a>
        {aside}
      </header>
      <main className="card">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </main>
    </div>
  )
}
