# Grades /submissions in a container: see notebooks/INSTRUCTORS.md.
FROM python:3.12-slim
WORKDIR /course
COPY . .
RUN pip install --no-cache-dir torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu \
 && pip install --no-cache-dir -r requirements.txt \
 && useradd --create-home grader
USER grader
ENTRYPOINT ["sbert-lab", "grade", "/submissions"]
