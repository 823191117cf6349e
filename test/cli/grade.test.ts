import { describe, expect, it } from 'vitest'
import type { WorldResult } from '../../src/arm/job.ts'
import { DivergenceError, grade, type RunWorlds } from '../../src/cli/grade.ts'
import { makeInk } from '../../src/show/ink.ts'
import { goodResults, held, labSaying, lost, requestFor } from '../judge/lab-double.ts'

/** Grades the tiny lab with a runner made up for the test; answers exit code and stdout. */
async function gradeWith(
  runWorlds: RunWorlds,
  options: { json?: boolean; twice?: boolean } = {},
  lab = labSaying([held, held, held]),
) {
  let stdout = ''
  const code = await grade(
    requestFor(lab),
    { json: false, twice: false, ...options },
    {
      runWorlds,
      worldMain: '/built/world-main.js',
      write: (text) => {
        stdout += text
      },
      ink: makeInk(false),
      now: () => 0,
    },
  )
  return { code, stdout }
}

const good: RunWorlds = async (jobs) => goodResults(jobs)

describe('grade', () => {
  it('answers the exit code of the verdict', async () => {
    expect((await gradeWith(good)).code).toBe(0)
    expect((await gradeWith(good, {}, labSaying([held, lost, held]))).code).toBe(1)
  })

  it('tells what is graded before anything runs', async () => {
    let early = ''
    await grade(
      requestFor(labSaying([held, held, held])),
      { json: false, twice: false },
      {
        runWorlds: async (jobs) => {
          expect(early).toBe('tiny · target ./my work · arm sim · seed 7\n')
          return goodResults(jobs)
        },
        worldMain: '',
        write: (text) => {
          early += text
        },
        ink: makeInk(false),
        now: () => 0,
      },
    )
  })

  it('--json prints one JSON document and nothing else', async () => {
    const { stdout } = await gradeWith(good, { json: true })
    expect(JSON.parse(stdout)).toMatchObject({ schema: 1, lab: 'tiny', exitCode: 0 })
  })

  it('--twice runs all worlds twice and says that they were the same', async () => {
    let runs = 0
    const counted: RunWorlds = async (jobs) => {
      runs += 1
      return goodResults(jobs)
    }
    expect((await gradeWith(counted, { twice: true })).stdout).toContain('(twice the same)')
    expect(runs).toBe(2)
  })

  it('--twice: a digest that differs is our bug, with the check and the event', async () => {
    let runs = 0
    const drifting: RunWorlds = async (jobs) => {
      runs += 1
      return goodResults(jobs).map((result): WorldResult => {
        const events = result.events.map((event) => ({ ...event, t: event.t + runs }))
        return result.id === 'check-2' ? { ...result, events, digest: String(runs) } : result
      })
    }
    const running = gradeWith(drifting, { twice: true })
    await expect(running).rejects.toThrow(DivergenceError)
    await expect(running).rejects.toThrow('Two runs of check-2 with the same seed differ')
  })
})
