import { Link } from '../../lib/router.tsx'

interface FigureProps {
  to: string
  figure: number
  words: string
  tone?: string | undefined
}

/** A number that leads to the list of what it counts. */
export function Figure({ to, figure, words, tone }: FigureProps) {
  return (
    <li className={tone}>
      <Link to={to}>
        <strong>{figure.toLocaleString('en')}</strong>
        <span>{words}</span>
      </Link>
    </li>
  )
}
