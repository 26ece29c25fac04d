import { story } from './sample.ts'

const { STINT_URL = '', STINT_TOKEN = '' } = process.env
console.log(JSON.stringify(await story(STINT_URL, STINT_TOKEN)))
