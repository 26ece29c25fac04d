import { type Sql, sql, type Transaction } from '#db/database.ts'

/**
 * Search by the beginnings of words, without case and accents. The words stand in a table of their own whose index
 * answers a prefix by plain comparison: under row-level security an index is used for leakproof operators only, which
 * `like`, full-text and trigram operators are not, so with those every search would read the whole organization.
 */

/** Each word of a search is a condition of its query: planning 50 of them takes over twice as long as 32. */
const searched_words_max = 32
const characters_max = 64

/** Letters that Unicode does not decompose into a base letter and an accent. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
}

/**
 * The distinct words of some texts in lower case and without accents: "Zoë Weiß-Łuk" → zoe, weiss, luk. They are as many
 * as the fields they come from can hold, so that a long title is found by its last word too.
 */
export function wordsOf(...texts: readonly (string | null | undefined)[]): string[] {
  const plain = texts
    .join(' ')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøđðþłħı]/g, (letter) => plainLetters[letter] ?? letter)
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return [...new Set(words.map((word) => word.slice(0, characters_max)))]
}

/** The words that a search looks for. */
export function searchedWords(search: string): string[] {
  return wordsOf(search).slice(0, searched_words_max)
}

/** Writes the words of a new row. */
export async function addWords(
  tx: Transaction,
  organization_id: string,
  kind: string,
  subject_id: string,
  words: readonly string[],
): Promise<void> {
  await tx.run(sql`
    insert into search_words (organization_id, kind, word, subject_id)
    select ${organization_id}::uuid, ${kind}::text, word, ${subject_id}::uuid from unnest(${words}::text[]) word`)
}

/** Writes the words of a row that changed. */
export async function replaceWords(
  tx: Transaction,
  organization_id: string,
  kind: string,
  subject_id: string,
  words: readonly string[],
): Promise<void> {
  await Promise.all([
    tx.run(
      sql`delete from search_words where organization_id = ${organization_id} and kind = ${kind} and subject_id = ${subject_id}`,
    ),
    addWords(tx, organization_id, kind, subject_id, words),
  ])
}

/** `word` of table `w` begins with the prefix; the words are of one kind. */
export function wordsBeginning(organization_id: string, kind: string, prefix: string): Sql {
  return sql`w.organization_id = ${organization_id} and w.kind = ${kind}
    and w.word >= ${prefix} and w.word < ${`${prefix}\u{10ffff}`}`
}
