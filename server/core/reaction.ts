import type { Actor } from './caller.ts'
import type { Context, EventType } from './operation.ts'

/** The context of something that others react to, be it done by an operation or by a timer. */
export interface ReactionContext extends Pick<Context, 'tx' | 'newId' | 'emit' | 'posted'> {
  /** Business time. */
  readonly now: string
  readonly actor: Actor
}

interface Reaction<Subject> {
  /** Order among the reactions to the same; 1 first. */
  readonly place: number
  readonly emits: readonly EventType[]
  react(subject: Subject, context: ReactionContext): Promise<void>
}

export type Happening<Subject> = ReturnType<typeof defineHappening<Subject>>

/** Something that happens to a noun and that other nouns react to in the same transaction. */
export function defineHappening<Subject>(name: string) {
  const reactions: Reaction<Subject>[] = []
  return {
    name,
    reactions,
    /** Events that its reactions emit; complete once every noun's index is loaded. */
    get emits(): readonly EventType[] {
      return reactions.flatMap(({ emits }) => emits)
    },
    /** Runs the reactions one after the other, in their places. */
    async happen(subject: Subject, context: ReactionContext): Promise<void> {
      for (const { react } of reactions) await react(subject, context)
    },
  }
}

/** Registers a reaction; whoever reacts does so in its own index. */
export function on<Subject>({ name, reactions }: Happening<Subject>, reaction: Reaction<Subject>): void {
  if (reactions.some(({ place }) => place === reaction.place)) {
    throw new Error(`two reactions to ${name} have place ${reaction.place}`)
  }
  reactions.push(reaction)
  reactions.sort((a, b) => a.place - b.place)
}
