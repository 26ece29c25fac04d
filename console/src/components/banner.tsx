import type { ReactNode } from 'react'

interface BannerProps {
  tone: 'info' | 'warning' | 'error'
  title?: string
  children?: ReactNode
}

/** An error is read out at once, the others when a reader comes to them. */
export function Banner({ tone, title, children }: BannerProps) {
  return (
    <div className={`banner ${tone}`} role={tone === 'error' ? 'alert' : undefined}>
      {title ? <p className="banner-title">{title}</p> : null}
      {children}
    </div>
  )
}
