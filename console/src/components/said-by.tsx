import { Moment } from './moment.tsx'

/** The moment of a step and the one who took it. */
export function SaidBy({ at, by }: { at: string; by: { name: string } }) {
  return (
    <span>
      <Moment at={at} /> by <bdi>{by.name}</bdi>
    </span>
  )
}
