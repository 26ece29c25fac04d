import type { ReactNode } from 'react'

interface BadgeProps {
  tone?: 'plain' | 'good' | 'warning' | 'danger' | 'sandbox'
  children: ReactNode
}

export function Badge({ tone = 'plain', children }: BadgeProps) {
  return <span className={`badge ${tone}`}>{children}</span>
}
