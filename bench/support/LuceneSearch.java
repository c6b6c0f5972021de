/*
 * Lucene on what bench/retrieval.ts wrote, one thread: BM25 over the texts, and the same term weights as ours as impacts.
 *
 *     java -cp lucene-core.jar:lucene-analysis-common.jar LuceneSearch.java [impacts | stored] FOLDER K
 *
 * With `impacts`, only the term weights; with `stored`, only BM25, and the index keeps the texts. FOLDER: texts.txt (one document a line), questions.txt, units.txt (one unit a line: term|impact …), queries.txt (term^weight …). Both get an index
 * of one segment; every question is asked once before the clock runs. One JSON line for each, and the numbers of what was found, K a question, in the
 * file it names (u32, 2³² − 1 where there were fewer).
 */

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.WhitespaceTokenizer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.miscellaneous.DelimitedTermFrequencyTokenFilter;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FieldInvertState;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogByteSizeMergePolicy;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.QueryBuilder;
import org.apache.lucene.util.Version;

public class LuceneSearch {
  /** A document's score is Σ weight · impact. */
  static class ImpactSimilarity extends Similarity {
    @Override
    public long computeNorm(FieldInvertState state) {
      return 1;
    }

    @Override
    public SimScorer scorer(float boost, CollectionStatistics collection, TermStatistics... terms) {
      return new SimScorer() {
        @Override
        public float score(float frequency, long norm) {
          return boost * frequency;
        }
      };
    }
  }

  interface ToQuery {
    Query of(String line);
  }

  public static void main(String[] args) throws IOException {
    boolean impactsOnly = args[0].equals("impacts");
    boolean stored = args[0].equals("stored");
    Path folder = Path.of(args[args.length - 2]);
    int k = Integer.parseInt(args[args.length - 1]);
    IndexSearcher.setMaxClauseCount(100_000);
    Analyzer english = new EnglishAnalyzer();
    QueryBuilder words = new QueryBuilder(english);
    // k1 and b as Anserini has them
    if (!impactsOnly)
      measure("BM25", folder, k, english, new BM25Similarity(0.9f, 0.4f), stored, "texts.txt", "questions.txt", line -> words.createBooleanQuery("text", line));
    if (stored) return;
    Analyzer impacts = new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        WhitespaceTokenizer tokens = new WhitespaceTokenizer();
        return new TokenStreamComponents(tokens, new DelimitedTermFrequencyTokenFilter(tokens));
      }
    };
    measure("impacts", folder, k, impacts, new ImpactSimilarity(), false, "units.txt", "queries.txt", LuceneSearch::weighted);
  }

  static Query weighted(String line) {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    for (String part : line.split(" ")) {
      int at = part.indexOf('^');
      if (at < 0) continue;
      Query term = new TermQuery(new Term("text", part.substring(0, at)));
      query.add(new BoostQuery(term, Float.parseFloat(part.substring(at + 1))), BooleanClause.Occur.SHOULD);
    }
    return query.build();
  }

  static void measure(
      String name, Path folder, int k, Analyzer analyzer, Similarity similarity, boolean stored, String documents, String questions, ToQuery toQuery)
      throws IOException {
    Path at = folder.resolve("lucene-" + name);
    long began = System.nanoTime();
    try (MMapDirectory directory = new MMapDirectory(at)) {
      IndexWriterConfig config = new IndexWriterConfig(analyzer);
      config.setSimilarity(similarity);
      config.setMergePolicy(new LogByteSizeMergePolicy()); // merges neighbours, so documents keep their order
      FieldType type = new FieldType();
      type.setTokenized(true);
      type.setStored(stored);
      type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
      type.freeze();
      try (IndexWriter writer = new IndexWriter(directory, config); var lines = Files.newBufferedReader(folder.resolve(documents))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Document document = new Document();
          document.add(new Field("text", line, type));
          writer.addDocument(document);
        }
        writer.forceMerge(1);
      }
      double buildSeconds = (System.nanoTime() - began) / 1e9;
      long bytes = 0;
      for (String file : directory.listAll()) bytes += directory.fileLength(file);
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setSimilarity(similarity);
        searcher.setQueryCache(null);
        List<String> asked = Files.readAllLines(folder.resolve(questions));
        double[] times = new double[asked.size()];
        ByteBuffer found = ByteBuffer.allocate(4 * k * asked.size()).order(ByteOrder.LITTLE_ENDIAN);
        for (int round = 0; round < 2; round++) {
          found.clear();
          for (int n = 0; n < asked.size(); n++) {
            long start = System.nanoTime();
            Query query = toQuery.of(asked.get(n));
            ScoreDoc[] hits = query == null ? new ScoreDoc[0] : searcher.search(query, k).scoreDocs;
            times[n] = (System.nanoTime() - start) / 1e6;
            for (int i = 0; i < k; i++) found.putInt(i < hits.length ? hits[i].doc : -1); // one segment, added in order: doc is the line's number
          }
        }
        String file = "found-lucene-" + name + ".u32";
        Files.write(folder.resolve(file), found.array());
        Arrays.sort(times);
        double p50 = times[times.length / 2];
        double p99 = times[Math.min(times.length - 1, (int) (0.99 * times.length))];
        System.out.printf(
            Locale.ROOT,
            "{\"engine\": \"Lucene %s %s\", \"msP50\": %.5f, \"msP99\": %.5f, \"buildSeconds\": %.2f, \"bytes\": %d, \"found\": \"%s\"}%n",
            Version.LATEST, name, p50, p99, buildSeconds, bytes, file);
      }
    }
  }
}
