// Plain JavaScript, so that any Node can read it: says what is missing before a script ends in words of another Node.
import { findNode, isNewEnough } from '../cli/runtime.js'

try {
  const node = findNode()
  // npm puts the Node that it installed first on the path of its scripts.
  if (!isNewEnough) throw new Error(`This is Node ${process.versions.node}: run it through npm, or on ${node}.`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 78
}
