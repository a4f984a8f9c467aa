/**
 * Does the jobs in order, at most `width` at once. After a failure no other job begins; it stands once
 * those that had begun are done.
 */
export async function sideBySide<Job, Result>(
  jobs: readonly Job[],
  width: number,
  work: (job: Job) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const errors: unknown[] = [];
  const left = jobs.entries();
  const worker = async () => {
    for (const [index, job] of left) {
      if (errors.length > 0) return;
      try {
        results[index] = await work(job);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
}
