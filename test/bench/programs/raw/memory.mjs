// Resident memory of Node by itself, in MB.
console.log(JSON.stringify({ figure: process.memoryUsage.rss() / 2 ** 20 }));
