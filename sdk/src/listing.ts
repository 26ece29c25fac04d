import type { Page } from './shapes.ts'

/** A list that is read when it is walked: `for await (const contract of stint.contracts.list())`. */
export class Listing<Row> implements AsyncIterable<Row> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Row>>

  constructor(read: (cursor: string | undefined) => Promise<Page<Row>>) {
    this.#read = read
  }

  /** Reads one page: the first, or that of the `cursor` of the input. */
  page(): Promise<Page<Row>> {
    return this.#read(undefined)
  }

  /** Reads page after page. */
  async *pages(): AsyncGenerator<Page<Row>, void, undefined> {
    let page = await this.page()
    yield page
    while (page.has_more && page.cursor !== null) {
      page = await this.#read(page.cursor)
      yield page
    }
  }

  /** Reads row after row, over all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}

/** A row that was told as it came or changed, and the place from which to go on after it. */
export interface Followed<Row> {
  id: string
  data: Row
}

/** A list that can also be followed as it grows. */
export class FollowedListing<Row> extends Listing<Row> {
  readonly #follow: (last_event_id: string | undefined) => AsyncGenerator<Followed<Row>, void, undefined>

  constructor(
    read: (cursor: string | undefined) => Promise<Page<Row>>,
    follow: (last_event_id: string | undefined) => AsyncGenerator<Followed<Row>, void, undefined>,
  ) {
    super(read)
    this.#follow = follow
  }

  /**
   * Tells what is new, for ever, from now on or after the `id` that an earlier walk has come to. It connects again by
   * itself, and misses nothing in between. A refusal ends it; so does the signal of the call.
   */
  follow(last_event_id?: string): AsyncGenerator<Followed<Row>, void, undefined> {
    return this.#follow(last_event_id)
  }
}
